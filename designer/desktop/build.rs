//! Lets Tauri read `tauri.conf.json`, only when the desktop shell is built.

fn main() {
    #[cfg(feature = "desktop")]
    tauri_build::build();
}

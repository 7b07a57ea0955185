//! Lets Tauri read `tauri.conf.json`, only when the desktop shell is built.

fn main() {
    #[cfg(feature = "desktop")]
    {
        // The commands of `commands.rs`: the window may call these and no others.
        let commands = tauri_build::InlinedPlugin::new()
            .commands(&[
                "pick_document",
                "take_documents",
                "open_recent",
                "recent_documents",
                "link_document",
                "save_document",
                "has_file",
                "file_state",
                "close_window",
            ])
            .default_permission(tauri_build::DefaultPermissionRule::AllowAllCommands);
        let attributes = tauri_build::Attributes::new().plugin("desktop", commands);
        if let Err(error) = tauri_build::try_build(attributes) {
            panic!("{error:#}");
        }
    }
}

//! Where a source that others call is reached: Fairway's own address, to be copied.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::{Map, Value};

use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::markdown;
use crate::state::editor::{NodeView, use_editor};

/// The source that is called at Fairway's own address, unless it has a port of its own.
const CALLED: &str = "http_webhook_source";

/// The path at which a node is called, where it is.
pub(crate) fn hook_path(
    component: &str,
    config: &Map<String, Value>,
    uid: &str,
    node: &str,
) -> Option<String> {
    let own_port = config.get("listen").is_some_and(|listen| listen.as_str() != Some(""));
    (component == CALLED && !own_port).then(|| format!("/hooks/{uid}/{node}"))
}

/// The address, with a button that copies it.
#[component]
pub(super) fn HookAddress(node: Arc<NodeView>) -> impl IntoView {
    let editor = use_editor();
    let (component, id, config) = (node.component.clone(), node.id.clone(), node.config.clone());
    let path = Memo::new(move |_| config.with(|config| hook_path(&component, config, &editor.uid(), &id)));
    move || {
        path.get().map(|path| {
            // The page comes from the server that is called.
            let address = format!("{}{path}", window().location().origin().unwrap_or_default());
            let copied = address.clone();
            let copy = move |_| {
                let written = window().navigator().clipboard().write_text(&copied);
                leptos::task::spawn_local(async move {
                    if wasm_bindgen_futures::JsFuture::from(written).await.is_err() {
                        editor.toasts().bad(t!("clipboard-refused"), Some(t!("clipboard-refused-help")));
                    } else {
                        editor.toasts().good(t!("hook-copied"));
                    }
                });
            };
            view! {
                <div class="field" data-testid="hook-address">
                    <span class="label" id="hook-address">{t!("hook-address")}</span>
                    <div class="beside">
                        <input class="input mono" readonly aria-labelledby="hook-address" value=address.clone() title=address />
                        <button type="button" class="button" data-action="copy-address" on:click=copy>{icon(Icon::Paste)} {t!("key-copy")}</button>
                    </div>
                    <p class="help">{markdown::inline(&t!("hook-address-help"))}</p>
                </div>
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_source_without_a_port_of_its_own_is_called_at_ours() {
        let path = |component: &str, config: Value| {
            hook_path(component, config.as_object().expect("an object"), "u1", "in")
        };
        assert_eq!(path(CALLED, json!({})), Some("/hooks/u1/in".into()));
        assert_eq!(path(CALLED, json!({ "listen": "127.0.0.1:9000" })), None);
        assert_eq!(path("csv_source", json!({})), None);
    }
}

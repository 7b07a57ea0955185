// Starts the designer. A file of its own, because the page's content security policy allows no inline script.
// `cargo xtask bundle` fills in the names. The import is dynamic so that a script that fails to load is told too.
const boot = document.getElementById("boot");
try {
  const { default: init } = await import("/assets/{{script}}");
  await init({ module_or_path: "/assets/{{wasm}}" });
  boot.remove();
} catch (error) {
  document.getElementById("boot-reason").textContent = String(error);
  boot.hidden = false;
  throw error;
}

// Whoever has no mouse reaches code and tables that are wider than the page, and moves them with the arrow keys.
const reachable = () => {
  for (const box of document.querySelectorAll(".md-typeset pre > code, .md-typeset__scrollwrap")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};
addEventListener("resize", reachable);
// The theme wraps tables when it is ready.
new MutationObserver(reachable).observe(document.body, { childList: true, subtree: true });
reachable();

// The button that copies a terminal's block copies its commands, without prompts and without what they printed.
document.addEventListener("click", (event) => {
  const button = event.target.closest?.(".language-console button[data-clipboard-target]");
  if (!button) return;
  const code = document.querySelector(button.dataset.clipboardTarget).cloneNode(true);
  for (const part of code.querySelectorAll(".gp, .go")) part.remove();
  button.dataset.clipboardText = code.textContent.replace(/\n\s*\n/g, "\n").trim() + "\n";
}, true);

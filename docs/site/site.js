// Whoever has no mouse reaches code and tables that are wider than the page, and moves them with the arrow keys.
const reachable = () => {
  for (const box of document.querySelectorAll(".md-typeset pre > code, .md-typeset__scrollwrap")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};
addEventListener("load", reachable);
addEventListener("resize", reachable);

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay {

// The script of the report. It adds to a page that is complete without it: search, filters, an
// order, buttons that copy, and links that open what they lead to. It writes no markup, only text
// and attributes, so that no text of a finding can become markup.
inline constexpr char kReportScript[] = R"js(
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const openTo = (id) => {
    const target = id && byId(decodeURIComponent(id));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
      at.hidden = false;
    }
    target.scrollIntoView();
  };
  const followHash = () => openTo(location.hash.slice(1));
  addEventListener("hashchange", followHash);
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) followHash();
  });

  const copied = (button, done) => {
    button.textContent = done ? "Copied" : "Select and copy it";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };
  for (const line of document.querySelectorAll("pre.replay")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy the command");
    button.addEventListener("click", () => {
      if (navigator.clipboard) {
        navigator.clipboard.writeText(line.textContent).then(
            () => copied(button, true), () => copied(button, false));
        return;
      }
      getSelection().selectAllChildren(line);
      copied(button, document.execCommand("copy"));
    });
    line.before(button);
  }

  const list = byId("groups");
  const tools = byId("tools");
  if (list && tools) {
    const groups = [...list.querySelectorAll("details.group")].map((element, index) => ({
      element, index, vectors: Number(element.dataset.vectors),
      known: element.dataset.known !== undefined, fresh: element.dataset.new !== undefined,
      title: element.firstElementChild.textContent.toLowerCase(),
      items: [...element.querySelectorAll(".item")].map((item) => ({
        element: item, operators: item.dataset.operators.split(", "), type: item.dataset.type,
        text: item.textContent.toLowerCase() })) }));
    const items = groups.flatMap((group) => group.items);
    const fill = (select, values) => {
      for (const value of [...new Set(values)].sort()) select.add(new Option(value, value));
    };
    fill(byId("operator"), items.flatMap((item) => item.operators));
    fill(byId("type"), items.map((item) => item.type));

    const filter = () => {
      const words = byId("search").value.toLowerCase().split(/\s+/).filter((word) => word);
      const operator = byId("operator").value, type = byId("type").value;
      const state = byId("known").value, fresh = byId("fresh").value;
      let shown = 0;
      for (const group of groups) {
        let any = false;
        for (const item of group.items) {
          const takes = (operator === "" || item.operators.includes(operator)) &&
              (type === "" || item.type === type) &&
              words.every((word) => group.title.includes(word) || item.text.includes(word));
          item.element.hidden = !takes;
          any = any || takes;
        }
        any = any && (state === "" || group.known === (state === "known")) &&
            (fresh === "" || group.fresh === (fresh === "new"));
        group.element.hidden = !any;
        shown += any ? 1 : 0;
      }
      byId("shown").textContent = shown + " of " + groups.length + " groups";
    };
    const sort = () => {
      const byVectors = byId("order").value === "vectors";
      const sorted = [...groups].sort(
          (a, b) => (byVectors ? b.vectors - a.vectors : 0) || a.index - b.index);
      for (const group of sorted) list.append(group.element);
    };
    const fold = () => {
      const open = groups.some((group) => group.element.open);
      for (const group of groups) group.element.open = !open;
      byId("fold").textContent = open ? "Open all" : "Collapse all";
    };
    byId("fresh").hidden = !byId("gone");
    tools.addEventListener("submit", (event) => event.preventDefault());
    tools.addEventListener("input", filter);
    byId("order").addEventListener("change", sort);
    byId("fold").addEventListener("click", fold);
    document.addEventListener("keydown", (event) => {
      const writes = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.key === "/" && !writes && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        byId("search").focus();
      }
      if (event.key === "Escape" && event.target.id === "search") {
        byId("search").value = "";
        filter();
      }
    });
    tools.hidden = false;
    filter();
  }
  followHash();
})();
)js";

}  // namespace assay

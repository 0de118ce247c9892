// Steps through the traces of a report and shows the state after the selected step. Everything else needs no script.
(function () {
  'use strict';
  var traces = [], current = null;

  function cell(name, value, changed) {
    var span = document.createElement('span'), code = document.createElement('code');
    code.textContent = name + ' = ' + value;
    if (changed) code.className = 'changed';
    span.appendChild(code);
    return span;
  }

  function Trace(section) {
    this.section = section;
    this.rows = Array.from(section.querySelectorAll('tr[data-step]'));
    this.marks = Array.from(section.querySelectorAll('g[data-step]'));
    this.panel = section.querySelector('.stepper');
    this.text = this.panel.querySelector('output');
    this.state = this.panel.querySelector('.state');
    this.at = 0;
    var self = this;
    this.panel.hidden = false;
    this.panel.querySelectorAll('button').forEach(function (button) {
      button.addEventListener('click', function () { self.key(button.value); });
    });
    this.rows.concat(this.marks).forEach(function (node) {
      node.addEventListener('click', function () { self.show(Number(node.dataset.step)); });
    });
    section.addEventListener('focusin', function () { current = self; });
    this.show(0);
  }

  // The first state with the changes of all steps up to the selected one.
  Trace.prototype.values = function () {
    var values = new Map(), at = this.at;
    this.section.querySelectorAll('.first [data-name]').forEach(function (node) { values.set(node.dataset.name, node.dataset.value); });
    this.rows.slice(0, at).forEach(function (row) {
      row.querySelectorAll('.change').forEach(function (node) { values.set(node.dataset.name, node.dataset.value); });
    });
    return values;
  };

  Trace.prototype.show = function (at) {
    var self = this, row, changed;
    current = this;
    this.at = at = Math.max(0, Math.min(at, this.rows.length));
    this.rows.concat(this.marks).forEach(function (node) { node.classList.toggle('now', Number(node.dataset.step) === at); });
    row = at ? this.rows[at - 1] : null;
    changed = row ? Array.from(row.querySelectorAll('.change')).map(function (node) { return node.dataset.name; }) : [];
    this.text.textContent = at ? 'after step ' + at + ' of ' + this.rows.length + ': ' + row.cells[1].textContent
                               : 'first state, before ' + this.rows.length + ' steps';
    this.state.replaceChildren();
    this.values().forEach(function (value, name) {
      self.state.appendChild(cell(name, value, changed.indexOf(name) >= 0));
    });
  };

  Trace.prototype.scrollToStep = function () {
    [this.rows[this.at - 1], this.marks.find(function (node) { return node.classList.contains('now'); })].forEach(function (node) {
      if (node) node.scrollIntoView({block: 'nearest', inline: 'nearest'});
    });
  };

  Trace.prototype.key = function (key) {
    var to = {ArrowRight: this.at + 1, j: this.at + 1, ArrowLeft: this.at - 1, k: this.at - 1, Home: 0, End: this.rows.length}[key];
    if (to === undefined) return false;
    this.show(to);
    this.scrollToStep();
    return true;
  };

  traces = Array.from(document.querySelectorAll('section.trace')).map(function (node) { return new Trace(node); });
  current = traces[0] || null;
  document.addEventListener('keydown', function (event) {
    if (!current || event.ctrlKey || event.altKey || event.metaKey) return;
    if ((event.key === 'Home' || event.key === 'End') && !current.section.contains(document.activeElement)) return;
    if (current.key(event.key)) event.preventDefault();
  });
})();

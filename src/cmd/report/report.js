// Steps through the traces of a report. Without it all is there, but for the state after the step that is looked at.
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
    this.rows.concat(this.marks).forEach(function (it) {
      it.addEventListener('click', function () { self.show(Number(it.dataset.step)); });
    });
    section.addEventListener('focusin', function () { current = self; });
    this.show(0);
  }

  // The first state, and on it what the steps up to this one changed.
  Trace.prototype.values = function () {
    var values = new Map(), at = this.at;
    this.section.querySelectorAll('.first [data-name]').forEach(function (it) { values.set(it.dataset.name, it.dataset.value); });
    this.rows.slice(0, at).forEach(function (row) {
      row.querySelectorAll('.change').forEach(function (it) { values.set(it.dataset.name, it.dataset.value); });
    });
    return values;
  };

  Trace.prototype.show = function (at) {
    var self = this, row, changed;
    current = this;
    this.at = at = Math.max(0, Math.min(at, this.rows.length));
    this.rows.concat(this.marks).forEach(function (it) { it.classList.toggle('now', Number(it.dataset.step) === at); });
    row = at ? this.rows[at - 1] : null;
    changed = row ? Array.from(row.querySelectorAll('.change')).map(function (it) { return it.dataset.name; }) : [];
    this.text.textContent = at ? 'after step ' + at + ' of ' + this.rows.length + ': ' + row.cells[1].textContent
                               : 'the first state; ' + this.rows.length + ' steps follow';
    this.state.replaceChildren();
    this.values().forEach(function (value, name) {
      self.state.appendChild(cell(name, value, changed.indexOf(name) >= 0));
    });
  };

  Trace.prototype.follow = function () {
    [this.rows[this.at - 1], this.marks.find(function (it) { return it.classList.contains('now'); })].forEach(function (it) {
      if (it) it.scrollIntoView({block: 'nearest', inline: 'nearest'});
    });
  };

  Trace.prototype.key = function (key) {
    var to = {ArrowRight: this.at + 1, j: this.at + 1, ArrowLeft: this.at - 1, k: this.at - 1, Home: 0, End: this.rows.length}[key];
    if (to === undefined) return false;
    this.show(to);
    this.follow();
    return true;
  };

  traces = Array.from(document.querySelectorAll('section.trace')).map(function (it) { return new Trace(it); });
  current = traces[0] || null;
  document.addEventListener('keydown', function (event) {
    if (!current || event.ctrlKey || event.altKey || event.metaKey) return;
    if ((event.key === 'Home' || event.key === 'End') && !current.section.contains(document.activeElement)) return;
    if (current.key(event.key)) event.preventDefault();
  });
})();

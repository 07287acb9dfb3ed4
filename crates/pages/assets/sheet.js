// A sheet of entries is gone through as in a spreadsheet: up and down with the arrows and Enter, sideways with the arrows from the
// edge of a text. Without this script Tab goes from field to field, and nothing else is missing.
for (const sheet of document.querySelectorAll('table.people-grid')) {
  const keys = document.getElementById('keys');
  if (keys) keys.hidden = false;
  const fields = 'input:not([type="hidden"])';
  const rows = () => [...sheet.querySelectorAll('tbody tr')];

  // The nearest field of the column above or below, or of the row to the left or right.
  function beside(cell, down, right) {
    if (right) {
      for (let next = cell; next; ) {
        next = right > 0 ? next.nextElementSibling : next.previousElementSibling;
        const field = next?.querySelector(fields);
        if (field) return field;
      }
      return null;
    }
    const all = rows();
    for (let at = all.indexOf(cell.parentElement) + down; all[at]; at += down) {
      const field = all[at].cells[cell.cellIndex]?.querySelector(fields);
      if (field) return field;
    }
    return null;
  }

  function way(event) {
    const { key, shiftKey, target } = event;
    if (key === 'Enter') return [shiftKey ? -1 : 1, 0];
    if (key === 'ArrowUp') return [-1, 0];
    if (key === 'ArrowDown') return [1, 0];
    const { selectionStart: start, selectionEnd: end, value } = target;
    const isText = target.type === 'text';
    const isWhole = isText && start === 0 && end === value.length;
    if (key === 'ArrowLeft' && (!isText || isWhole || end === 0)) return [0, -1];
    if (key === 'ArrowRight' && (!isText || isWhole || start === value.length)) return [0, 1];
    return null;
  }

  sheet.addEventListener('keydown', (event) => {
    const { target } = event;
    if (!target.matches(fields) || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const to = way(event);
    if (!to) return;
    event.preventDefault();
    const next = beside(target.closest('td'), ...to);
    // Below the last row is the button that goes on.
    const goal = next ?? (event.key === 'Enter' && !event.shiftKey ? sheet.closest('form').querySelector('.main') : null);
    goal?.focus();
    if (next?.type === 'text') next.select();
  });
}

// Shows what the entries of a form come to while they are being made. Without this script, the form's second button
// does the same.
for (const form of document.querySelectorAll('form[data-preview]')) {
  let waiting;
  let asked = 0;
  form.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 400);
  });
  // A button of the form is named `action`, and hides the form's own property.
  async function show() {
    const mine = (asked += 1);
    const entries = new URLSearchParams(new FormData(form));
    entries.set('action', 'show');
    try {
      const answer = await fetch(form.getAttribute('action'), { method: 'POST', body: entries });
      if (!answer.ok || mine !== asked) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const preview = page.getElementById('preview');
      if (preview) document.getElementById('preview').replaceChildren(...preview.childNodes);
      for (const shown of form.querySelectorAll('[data-live]')) {
        const now = page.getElementById(shown.id);
        if (now) shown.textContent = now.textContent;
      }
    } catch {
      // The button is still there.
    }
  }
}

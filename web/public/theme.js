// Runs before anything is drawn, so that a dark page never flashes light.
(() => {
  let theme = 'system';
  try {
    theme = localStorage.getItem('sayso.theme') ?? 'system';
  } catch {
    // Storage may be closed to us; the system's theme is then as good as any.
  }
  const dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'sayso-dark' : 'sayso-light';
})();

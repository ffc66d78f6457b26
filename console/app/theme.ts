// Dark, light, or what the system has. Kept in this browser.
const key = 'atoll.theme'
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export function currentTheme(): Theme {
  const kept = localStorage.getItem(key)
  return themes.find((theme) => theme === kept) ?? 'system'
}

export function applyTheme(theme: Theme = currentTheme()): void {
  localStorage.setItem(key, theme)
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

import { useState } from 'react'
import { applyTheme, currentTheme, type Theme, themes } from './theme.ts'

const names: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' }

export function ThemeChoice() {
  const [theme, setTheme] = useState(currentTheme)
  const choose = (chosen: Theme) => {
    applyTheme(chosen)
    setTheme(chosen)
  }
  return (
    <fieldset className="theme-choice">
      <legend className="visually-hidden">Theme</legend>
      {themes.map((one) => (
        <label key={one} className={one === theme ? 'chosen' : ''}>
          <input type="radio" name="theme" checked={one === theme} onChange={() => choose(one)} />
          {names[one]}
        </label>
      ))}
    </fieldset>
  )
}

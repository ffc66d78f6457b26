// The console: everything that Atoll does, seen and steered in a browser. It uses the public API and nothing else.
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { applyTheme } from './app/theme.ts'

applyTheme()
const root = document.getElementById('root')
if (root !== null) createRoot(root).render(<App />)

import { useState } from 'react'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { asCode, type Language, languages } from './as-code.ts'
import type { ChatRequest } from './settings.ts'

export function CodeDialog({ request, onClose }: { request: ChatRequest; onClose: () => void }) {
  const [language, setLanguage] = useState<Language>('TypeScript')
  return (
    <Dialog title="The same from a program" onClose={onClose}>
      <fieldset className="theme-choice">
        <legend className="visually-hidden">Language</legend>
        {languages.map((one) => (
          <label key={one} className={one === language ? 'chosen' : ''}>
            <input type="radio" name="language" checked={one === language} onChange={() => setLanguage(one)} />
            {one}
          </label>
        ))}
      </fieldset>
      <CodeBlock code={asCode[language](`${location.origin}/v1`, request)} language={language} />
    </Dialog>
  )
}

import { CopyButton } from './copy-button.tsx'

export const CodeBlock = ({ code, language = '' }: { code: string; language?: string }) => (
  <div className="code-block">
    <div className="code-head">
      <span>{language}</span>
      <CopyButton text={code} />
    </div>
    {/* It may be wider than the page: whoever has no mouse moves it with the arrow keys. */}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard */}
    <pre tabIndex={0}>
      <code>{code}</code>
    </pre>
  </div>
)

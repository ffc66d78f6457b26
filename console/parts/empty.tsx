import type { ReactNode } from 'react'
import { CodeBlock } from './code-block.tsx'

/** A page without data teaches how to make some. */
export const Empty = ({ title, code, children }: { title: string; code?: string; children?: ReactNode }) => (
  <div className="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
    {code !== undefined && <CodeBlock code={code} language="sh" />}
  </div>
)

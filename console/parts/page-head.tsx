import type { ReactNode } from 'react'

/** A page's title, a line about it, and what can be done on it. */
export const PageHead = ({ title, about, children }: { title: string; about?: string; children?: ReactNode }) => (
  <div className="page-head">
    <div>
      <h1>{title}</h1>
      {about !== undefined && <p className="muted">{about}</p>}
    </div>
    {children !== undefined && <div className="actions">{children}</div>}
  </div>
)

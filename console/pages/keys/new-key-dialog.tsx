import { type FormEvent, useState } from 'react'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'

/** The key belongs to a service account of its own: it goes on when people leave. It is shown this once. */
export function NewKeyDialog({ make, onClose }: { make(name: string): Promise<string>; onClose(): void }) {
  const [name, setName] = useState('')
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setIsMaking(true)
    // What went wrong is told by whoever makes it.
    setMade(await make(name).catch(() => undefined))
    setIsMaking(false)
  }
  if (made !== undefined) {
    return (
      <Dialog title="Copy the key now" onClose={onClose}>
        <p>It is shown only this once; Atoll keeps nothing that it could be read from.</p>
        <CodeBlock language="sh" code={`export OPENAI_BASE_URL=${location.origin}/v1\nexport OPENAI_API_KEY=${made}`} />
      </Dialog>
    )
  }
  return (
    <Dialog title="Make a key" onClose={onClose}>
      <form onSubmit={submit}>
        <label className="field">
          <span>What it is for</span>
          <input
            required
            maxLength={256}
            placeholder="nightly reports"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <p className="muted">
          A service account of this name is made for it. Whoever has the key acts in this project.
        </p>
        <div className="dialog-actions">
          <button type="submit" className="primary" disabled={isMaking}>
            Make it
          </button>
        </div>
      </form>
    </Dialog>
  )
}

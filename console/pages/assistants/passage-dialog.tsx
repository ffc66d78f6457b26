import type { RunStepObject } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { type Citation, passageOf } from './citations.ts'

interface Props {
  citation: Citation
  steps: RunStepObject[]
  onClose(): void
}

/** What a sentence of the answer was made from. */
export function PassageDialog({ citation, steps, onClose }: Props) {
  const passage = passageOf(citation, steps)
  return (
    <Dialog title={`Source ${citation.number}`} onClose={onClose}>
      <p className="muted">Said: {citation.sentence}</p>
      {passage === undefined ? (
        <p>
          The passage is not at hand any more; it is of the file <code>{citation.fileId}</code>.
        </p>
      ) : (
        <>
          <p>
            <strong className="long">{passage.fileName}</strong>
          </p>
          <blockquote className="passage as-typed">{passage.text}</blockquote>
        </>
      )}
    </Dialog>
  )
}

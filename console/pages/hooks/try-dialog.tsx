// Tries a mapping on a request that nobody sent: nothing is kept, nothing is run.

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { askOf } from '../../api/service-client.ts'
import type { HookMapping, MappingTestResult } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { PlainText } from '../../parts/plain-text.tsx'
import { admin } from './gateway.ts'

const outcomes: Record<MappingTestResult['outcome'], string> = {
  action: 'It would be run.',
  skipped: 'It would be skipped.',
  refused: 'It would be refused.',
  failed: 'The mapping itself fails on it.',
}

export function TryDialog({ mapping, onClose }: { mapping: HookMapping; onClose(): void }) {
  const [payload, setPayload] = useState('{\n  "repository": { "full_name": "me/mine" }\n}')
  const path = admin(`/mappings/${encodeURIComponent(mapping.id)}/test`)
  const test = useMutation({
    mutationFn: async () => {
      const body = { payload: JSON.parse(payload) as unknown }
      return askOf<MappingTestResult>('hooks', path, { method: 'POST', body })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    test.mutate()
  }
  return (
    <Dialog title={`Try ${mapping.id}`} onClose={onClose}>
      <form onSubmit={submit}>
        <label className="field">
          <span>What another program would send (JSON)</span>
          <textarea
            className="mono"
            rows={8}
            maxLength={200_000}
            value={payload}
            onChange={(event) => setPayload(event.target.value)}
          />
        </label>
        <div className="dialog-actions">
          <button type="submit" className="primary" disabled={test.isPending}>
            Try it
          </button>
        </div>
      </form>
      {test.error && <Failure error={test.error} />}
      {test.data && <Result mapping={mapping} result={test.data} />}
    </Dialog>
  )
}

function Result({
  mapping,
  result: { outcome, status, found, action, preview, error },
}: {
  mapping: HookMapping
  result: MappingTestResult
}) {
  return (
    <div role="status">
      <p>
        <strong>{outcomes[outcome]}</strong> The sender would get {status}.
        {found !== mapping.id && ` Such a request would really go to ${found ?? 'no mapping'}.`}
      </p>
      {error !== undefined && <p className="wrong long">{error}</p>}
      {preview !== undefined && (
        <>
          <p>The model would read:</p>
          <PlainText label="Preview" text={preview} />
        </>
      )}
      {action !== undefined && (
        <details className="details">
          <summary>Action</summary>
          <pre>{JSON.stringify(action, undefined, 2)}</pre>
        </details>
      )}
    </div>
  )
}

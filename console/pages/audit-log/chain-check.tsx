import { useMutation } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import type { AuditLogVerification } from '../../api/types.ts'
import { Failure } from '../../parts/failure.tsx'

/** Has the server read the whole log, and tells whether it is as it was written. */
export function ChainCheck() {
  const check = useMutation({
    mutationFn: () => ask<AuditLogVerification>('/v1/organization/audit_logs/verification'),
  })
  return (
    <div className="chain-check">
      <button type="button" onClick={() => check.mutate()} disabled={check.isPending}>
        {check.isPending ? 'Reading all entries …' : 'Check the chain'}
      </button>
      {check.error && <Failure error={check.error} />}
      {check.data && <Verdict verification={check.data} />}
    </div>
  )
}

function Verdict({
  verification: { intact, entries, hash, broken_at, problem },
}: {
  verification: AuditLogVerification
}) {
  if (intact) {
    return (
      <p role="status">
        <span className="tag good">intact</span> All {entries} entries are as they were written. Newest:{' '}
        <code className="long">{hash}</code>
      </p>
    )
  }
  const what = problem === 'deactivated' ? 'The log was switched off by hand' : `Entry ${broken_at} was ${problem}`
  return (
    <p role="alert">
      <span className="tag bad">not intact</span> {what}; {entries} entries before are as they were written.
    </p>
  )
}

import { useMutation } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import type { ServerChecks } from '../../api/types.ts'
import { Failure } from '../../parts/failure.tsx'

const words = { ok: 'ok', missing: 'missing', optional: 'absent' }
const tones = { ok: 'good', missing: 'bad', optional: '' }

/** ./atoll doctor on the server's machine, when somebody asks. */
export function Doctor() {
  const look = useMutation({ mutationFn: () => ask<ServerChecks>('/v1/organization/server/checks') })
  return (
    <section className="card">
      <h2>Doctor</h2>
      <p className="muted">Tells what the machine has and lacks, and what to install: what ./atoll doctor tells.</p>
      <button type="button" onClick={() => look.mutate()} disabled={look.isPending}>
        {look.isPending ? 'Looking …' : 'Look at the machine'}
      </button>
      {look.error && <Failure error={look.error} />}
      {look.data !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone, also by the keyboard
        <section className="table-frame doctor" aria-label="What the machine has" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col">For</th>
                <th scope="col">State</th>
                <th scope="col">Details</th>
              </tr>
            </thead>
            <tbody>
              {look.data.data.map(({ what, need, state, detail }) => (
                <tr key={what}>
                  <td>{what}</td>
                  <td>{need}</td>
                  <td>
                    <span className={`tag ${tones[state]}`}>{words[state]}</span>
                  </td>
                  <td className="long">{detail}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  )
}

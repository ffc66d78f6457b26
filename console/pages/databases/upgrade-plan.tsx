import type { UpgradeAnswer } from '../../api/types.ts'

/** What the steps of an upgrade do. */
export const stepWords: Record<string, string> = {
  snapshot: 'copies the data',
  canary: 'tries the new modules on the copy',
  replicas: 'builds replicas with the new modules',
  handover: 'makes such a replica the master; clients wait for a moment',
  rebuild: 'replaces the old master',
  verify: 'compares modules and keys of all shards',
  roles: 'gives the shards their roles back',
  finish: 'removes the copy',
  rolling_back: 'puts everything back',
  discard: 'begins again without the data',
}

export const UpgradePlan = ({
  plan: { steps, through, discards_data },
}: {
  plan: NonNullable<UpgradeAnswer['plan']>
}) => (
  <div role="status">
    <p>
      Nothing was changed. It would go through {through}.{' '}
      {discards_data ? 'Data is discarded if it cannot be carried over.' : 'No data would be discarded.'}
    </p>
    <ol>
      {steps.map((step) => (
        <li key={step}>
          <strong>{step}</strong> {stepWords[step] ?? ''}
        </li>
      ))}
    </ol>
  </div>
)

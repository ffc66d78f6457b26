import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { RateLimitObject } from '../../api/types.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { TextField } from '../../parts/text-field.tsx'

const fields = {
  max_requests_per_1_minute: 'Requests a minute',
  max_tokens_per_1_minute: 'Tokens a minute',
  max_images_per_1_minute: 'Pictures a minute',
  max_requests_per_1_day: 'Requests a day',
} as const
type Name = keyof typeof fields
const names = Object.keys(fields) as Name[]

export function RateLimitDialog({ path, limit, onClose }: { path: string; limit: RateLimitObject; onClose(): void }) {
  const before = Object.fromEntries(names.map((name) => [name, String(limit[name] ?? '')])) as Record<Name, string>
  const [values, setValues] = useState(before)
  const save = () => {
    const changed = names.filter((name) => values[name] !== before[name] && values[name] !== '')
    const body = Object.fromEntries(changed.map((name) => [name, Number(values[name])]))
    return ask(`${path}/${limit.id}`, { method: 'POST', body })
  }
  return (
    <FormDialog title={`Limits of ${limit.model}`} action="Set them" save={save} changed={[path]} onClose={onClose}>
      {names.map((name) => (
        <TextField
          key={name}
          label={fields[name]}
          type="number"
          min={0}
          isOptional={before[name] === ''}
          value={values[name]}
          change={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
      <p className="muted">0 keeps the project from the model. What the organization has itself cannot be exceeded.</p>
    </FormDialog>
  )
}

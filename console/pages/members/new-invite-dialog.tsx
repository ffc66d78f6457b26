import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { SentInviteObject } from '../../api/types.ts'
import { useProject } from '../../app/projects.tsx'
import { Choice } from '../../parts/choice.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { TextField } from '../../parts/text-field.tsx'
import { invitesPath } from './invites.tsx'
import { organizationRoles } from './roles.ts'

/** Atoll sends no mail by itself: whoever invites hands the token over. */
export function NewInviteDialog({ onClose }: { onClose(): void }) {
  const { projects } = useProject()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<keyof typeof organizationRoles>('member')
  const [chosen, setChosen] = useState<string[]>([])
  const [sent, setSent] = useState<SentInviteObject>()
  if (sent !== undefined) return <Sent invite={sent} onClose={onClose} />
  const body = { email, role, projects: chosen.map((id) => ({ id, role: 'member' })) }
  return (
    <FormDialog
      title="Invite somebody"
      action="Invite them"
      save={() => ask<SentInviteObject>(invitesPath, { method: 'POST', body })}
      changed={[invitesPath]}
      onSaved={setSent}
      onClose={onClose}
    >
      <TextField label="E-mail" type="email" value={email} change={setEmail} placeholder="ada@example.com" />
      <Choice label="Role in the organization" options={organizationRoles} value={role} choose={setRole} />
      <fieldset className="file-choice">
        <legend>Projects they join</legend>
        {projects.map(({ id, name }) => (
          <label key={id} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ target }) =>
                setChosen(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
              }
            />
            <span className="long">{name}</span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  )
}

const Sent = ({ invite: { email, accept_token }, onClose }: { invite: SentInviteObject; onClose(): void }) => (
  <Dialog title="Hand this over now" onClose={onClose}>
    <p>
      With it {email} joins, and gets a key. It is shown only this once; Atoll keeps nothing that it could be read from.
    </p>
    <CodeBlock
      language="sh"
      code={`curl ${location.origin}/v1/invites/accept -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ token: accept_token, name: 'Ada', with_key: true })}'`}
    />
  </Dialog>
)

import { useState } from 'react'
import { PageHead } from '../../parts/page-head.tsx'
import { Invites } from './invites.tsx'
import { NewInviteDialog } from './new-invite-dialog.tsx'
import { People } from './people.tsx'

export function MembersPage() {
  const [isInviting, setIsInviting] = useState(false)
  return (
    <>
      <PageHead title="Members" about="Owners administer the organization; members and readers work in projects.">
        <button type="button" className="primary" onClick={() => setIsInviting(true)}>
          Invite somebody
        </button>
      </PageHead>
      <People />
      <h2 className="section-title">Invites</h2>
      <Invites />
      {isInviting && <NewInviteDialog onClose={() => setIsInviting(false)} />}
    </>
  )
}

import { useState } from 'react'
import { Link } from 'wouter'
import { useProject } from '../../app/projects.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { AddMemberDialog } from './add-member-dialog.tsx'
import { ProjectMembers } from './project-members.tsx'
import { RateLimits } from './rate-limits.tsx'
import { ServiceAccounts } from './service-accounts.tsx'

export function AccessPage() {
  const { project } = useProject()
  const [isAdding, setIsAdding] = useState(false)
  return (
    <>
      <PageHead title="Access and limits" about={`Of the project ${project.name}.`}>
        <button type="button" className="primary" onClick={() => setIsAdding(true)}>
          Add a member
        </button>
      </PageHead>
      <h2 className="section-title">Members</h2>
      <ProjectMembers project={project.id} />
      <h2 className="section-title">Service accounts</h2>
      <p className="muted">
        Programs act as one of them. Each has a key of its own: <Link href="/keys">make one</Link>.
      </p>
      <ServiceAccounts project={project.id} />
      <h2 className="section-title">Rate limits</h2>
      <p className="muted">What the project may ask of each model: at most what the organization has.</p>
      <RateLimits project={project.id} />
      {isAdding && <AddMemberDialog project={project.id} onClose={() => setIsAdding(false)} />}
    </>
  )
}

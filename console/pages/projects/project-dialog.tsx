import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { ProjectObject } from '../../api/types.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { TextField } from '../../parts/text-field.tsx'
import { changedProjects, projectsPath } from './paths.ts'

/** Makes a project, or gives one another name. */
export function ProjectDialog({ project, onClose }: { project?: ProjectObject; onClose(): void }) {
  const [name, setName] = useState(project?.name ?? '')
  const path = project === undefined ? projectsPath : `${projectsPath}/${project.id}`
  return (
    <FormDialog
      title={project === undefined ? 'Make a project' : `Rename ${project.name}`}
      action={project === undefined ? 'Make it' : 'Rename it'}
      save={() => ask<ProjectObject>(path, { method: 'POST', body: { name } })}
      changed={changedProjects}
      onClose={onClose}
    >
      <TextField label="Name" value={name} change={setName} placeholder="Support desk" />
      <p className="muted">Files, threads, models and keys of a project are seen from no other.</p>
    </FormDialog>
  )
}

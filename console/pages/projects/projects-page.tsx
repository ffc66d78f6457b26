import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask, withQuery } from '../../api/client.ts'
import type { Page, ProjectObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { useProject } from '../../app/projects.tsx'
import { useConfirm } from '../../parts/confirm.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Time } from '../../parts/time.tsx'
import { changedProjects, projectsPath } from './paths.ts'
import { ProjectDialog } from './project-dialog.tsx'

export function ProjectsPage() {
  const { project: current, choose } = useProject()
  const [withArchived, setWithArchived] = useState(false)
  const [edited, setEdited] = useState<ProjectObject | 'new'>()
  const query = { include_archived: String(withArchived), order: 'desc' }
  const list = useList<ProjectObject>({ path: projectsPath, query })
  const first = useFirstProject()
  const confirm = useConfirm()
  const archive = useChange(
    ({ id }: ProjectObject) => ask(`${projectsPath}/${id}/archive`, { method: 'POST' }),
    changedProjects,
  )
  const askToArchive = async (project: ProjectObject) => {
    const text = 'Its keys stop at once. What it holds is kept, but nobody can use it. This cannot be undone.'
    if (await confirm({ title: `Archive ${project.name}?`, text, action: 'Archive it' })) archive.mutate(project)
  }
  /** The project that every organization begins with stays as it is. */
  const canChange = ({ id, status }: ProjectObject) =>
    status === 'active' && first.data !== undefined && id !== first.data
  const columns: Column<ProjectObject>[] = [
    {
      title: 'Name',
      show: ({ id, name }) => (
        <>
          <span className="long">{name}</span> {id === current.id && <span className="tag good">chosen</span>}
        </>
      ),
    },
    { title: 'State', show: ({ status }) => <span className="tag">{status}</span> },
    { title: 'Made', show: ({ created_at }) => <Time seconds={created_at} /> },
    { title: 'Id', show: ({ id }) => <code>{id}</code> },
    {
      title: 'Actions',
      show: (project) => (
        <div className="actions">
          {project.status === 'active' && project.id !== current.id && (
            <Action name="Work in" project={project} act={({ id }) => choose(id)} />
          )}
          {canChange(project) && <Action name="Rename" project={project} act={setEdited} />}
          {canChange(project) && <Action name="Archive" project={project} act={askToArchive} isDangerous />}
        </div>
      ),
    },
  ]
  return (
    <>
      <PageHead title="Projects" about="What belongs to one is never seen from another.">
        <label className="inline">
          <input type="checkbox" checked={withArchived} onChange={({ target }) => setWithArchived(target.checked)} />
          <span>Show archived</span>
        </label>
        <button type="button" className="primary" onClick={() => setEdited('new')}>
          Make a project
        </button>
      </PageHead>
      <ListTable name="Projects" list={list} columns={columns} idOf={({ id }) => id} empty={null} />
      {edited === 'new' && <ProjectDialog onClose={() => setEdited(undefined)} />}
      {edited !== undefined && edited !== 'new' && (
        <ProjectDialog key={edited.id} project={edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  )
}

interface ActionProps {
  name: string
  project: ProjectObject
  act(project: ProjectObject): unknown
  isDangerous?: boolean
}

const Action = ({ name, project, act, isDangerous = false }: ActionProps) => (
  <button
    type="button"
    className={isDangerous ? 'danger small' : 'small'}
    aria-label={`${name} ${project.name}`}
    onClick={() => void act(project)}
  >
    {name}
  </button>
)

const useFirstProject = () =>
  useQuery({
    queryKey: ['first-project'],
    queryFn: async ({ signal }) => {
      const path = withQuery(projectsPath, { limit: 1, order: 'asc', include_archived: 'true' })
      return (await ask<Page<ProjectObject>>(path, { signal })).data[0]?.id
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

// The project that the person works in: chosen once, kept in this browser, and sent with every request of a project.
import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { ask, withQuery } from '../api/client.ts'
import type { Page, ProjectObject, SessionObject } from '../api/types.ts'
import { Failure } from '../parts/failure.tsx'
import { Waiting } from '../parts/waiting.tsx'

const key = 'atoll.project'
const pageSize = 100

type Project = Pick<ProjectObject, 'id' | 'name'>

interface Choice {
  project: Project
  projects: Project[]
  choose(id: string): void
}

const Chosen = createContext<Choice | undefined>(undefined)

export function useProject(): Choice {
  const choice = useContext(Chosen)
  if (choice === undefined) throw new Error('There is no project around this.')
  return choice
}

const projectsKey = ['projects']

/** The oldest first: whoever chose none is in the one that the organization began with, whatever is made later. */
async function activeProjects(): Promise<ProjectObject[]> {
  const all: ProjectObject[] = []
  for (let after: string | undefined; ; ) {
    const query = { limit: pageSize, order: 'asc', after }
    const page = await ask<Page<ProjectObject>>(withQuery('/v1/organization/projects', query))
    all.push(...page.data)
    if (!page.has_more || page.last_id === null) return all
    after = page.last_id
  }
}

/** `only`: where the session may act in one project alone, which is no administrator's list to ask for. */
export function ProjectProvider({ only, children }: { only: SessionObject['project']; children: ReactNode }) {
  const [id, setId] = useState(() => localStorage.getItem(key))
  const listed = useQuery({ queryKey: projectsKey, queryFn: activeProjects, enabled: only === null })
  const { error, refetch } = listed
  const data: Project[] | undefined = only === null ? listed.data : [only]
  if (error) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Waiting what="projects" />
  const project = data.find((one) => one.id === id) ?? data[0]
  if (project === undefined) return <Failure error={new Error('There is no active project in this organization.')} />
  const choose = (chosen: string) => {
    localStorage.setItem(key, chosen)
    setId(chosen)
  }
  return <Chosen.Provider value={{ project, projects: data, choose }}>{children}</Chosen.Provider>
}

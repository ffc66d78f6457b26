// What the search knows: pages, guides and their sections, objects of the project and the organization by name or id, and
// operations of the API.
import { ask, withQuery } from '../../api/client.ts'
import type { Page, SessionObject } from '../../api/types.ts'
import { guideHref, guides, sectionsOf } from '../../pages/guides/guides.ts'
import { pagesFor } from '../pages.ts'

export interface Found {
  kind: string
  title: string
  /** Of the console, or from the server's root for what opens beside it. */
  href: string
  isOutside?: boolean
}

/** So many of each kind are looked through: those that came last. */
const lookedThrough = 100

interface Named {
  id: string
  name?: string | null
  filename?: string
}

const kinds: { kind: string; path: string; href: string; isOfProject: boolean }[] = [
  { kind: 'File', path: '/v1/files', href: '/files', isOfProject: true },
  { kind: 'Vector store', path: '/v1/vector_stores', href: '/vector-stores', isOfProject: true },
  { kind: 'Assistant', path: '/v1/assistants', href: '/assistants', isOfProject: true },
  { kind: 'Batch', path: '/v1/batches', href: '/batches', isOfProject: true },
  { kind: 'Fine-tuning job', path: '/v1/fine_tuning/jobs', href: '/fine-tuning', isOfProject: true },
  { kind: 'Project', path: '/v1/organization/projects', href: '/projects', isOfProject: false },
  { kind: 'Member', path: '/v1/organization/users', href: '/members', isOfProject: false },
]

export const pageResults = (session: SessionObject): Found[] =>
  pagesFor(session).map(({ title, path }) => ({ kind: 'Page', title, href: path }))

export const guideResults = (): Found[] =>
  guides.flatMap((guide) => {
    const href = guideHref(guide.id)
    const sections = sectionsOf(guide).map((section) => `${guide.title}: ${section}`)
    return [guide.title, ...sections].map((title) => ({ kind: 'Guide', title, href }))
  })

/** Of the organization for its administrators alone. */
export async function objectResults(
  { is_admin }: SessionObject,
  project: string,
  signal: AbortSignal,
): Promise<Found[]> {
  const lists = await Promise.allSettled([
    ...kinds
      .filter(({ isOfProject }) => isOfProject || is_admin)
      .map(async ({ kind, path, href, isOfProject }) => {
        const asking = isOfProject ? { project, signal } : { signal }
        const { data } = await ask<Page<Named>>(withQuery(path, { limit: lookedThrough }), asking)
        return data.map((one) => ({ kind, title: titleOf(one), href }))
      }),
    modelResults(project, signal),
    operationResults(signal),
  ])
  // What cannot be listed, such as for want of a right, is simply not found.
  return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []))
}

const titleOf = ({ id, name, filename }: Named): string => [filename ?? name, id].filter(Boolean).join(' · ')

async function modelResults(project: string, signal: AbortSignal): Promise<Found[]> {
  const { data } = await ask<{ data: Named[] }>('/v1/models', { project, signal })
  return data.map(({ id }) => ({ kind: 'Model', title: id, href: `/playground?model=${encodeURIComponent(id)}` }))
}

type OpenApi = { paths: Record<string, Record<string, { summary?: string; operationId?: string }>> }

async function operationResults(signal: AbortSignal): Promise<Found[]> {
  const { paths } = await ask<OpenApi>('/openapi.json', { signal })
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { summary = '', operationId = '' }]) => ({
      kind: 'Docs',
      title: `${summary} · ${method.toUpperCase()} ${path}`,
      href: `/docs#${encodeURIComponent(operationId)}`,
      isOutside: true,
    })),
  )
}

/** Every word of the question is somewhere in it. */
export function matching(found: readonly Found[], question: string, most: number): Found[] {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean)
  return found
    .filter(({ kind, title }) => words.every((word) => `${kind} ${title}`.toLowerCase().includes(word)))
    .slice(0, most)
}

// Every page there is: the navigation and the routes are made of this table. Each page's code is fetched when it is
// first opened.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { SessionObject } from '../api/types.ts'
import type { IconName } from '../parts/icon.tsx'

export interface PageEntry {
  path: string
  title: string
  icon: IconName
  group: string
  /** Only for whoever administers the organization, or may steer the machine's other services. */
  isFor?: 'admins' | 'operators'
  Page: LazyExoticComponent<ComponentType>
}

const page = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }))

const pages: PageEntry[] = [
  {
    path: '/',
    title: 'Home',
    icon: 'home',
    group: '',
    Page: page(async () => (await import('../pages/home/home-page.tsx')).HomePage),
  },
  {
    path: '/playground',
    title: 'Playground',
    icon: 'chat',
    group: '',
    Page: page(async () => (await import('../pages/playground/playground-page.tsx')).PlaygroundPage),
  },
  {
    path: '/assistants',
    title: 'Assistants',
    icon: 'person',
    group: '',
    Page: page(async () => (await import('../pages/assistants/assistants-page.tsx')).AssistantsPage),
  },
  {
    path: '/voice',
    title: 'Voice',
    icon: 'microphone',
    group: '',
    Page: page(async () => (await import('../pages/voice/voice-page.tsx')).VoicePage),
  },
  {
    path: '/media',
    title: 'Speech and pictures',
    icon: 'sound',
    group: '',
    Page: page(async () => (await import('../pages/media/media-page.tsx')).MediaPage),
  },
  {
    path: '/models',
    title: 'Models',
    icon: 'chip',
    group: '',
    Page: page(async () => (await import('../pages/models/models-page.tsx')).ModelsPage),
  },
  {
    path: '/files',
    title: 'Files',
    icon: 'file',
    group: 'Data',
    Page: page(async () => (await import('../pages/files/files-page.tsx')).FilesPage),
  },
  {
    path: '/vector-stores',
    title: 'Vector stores',
    icon: 'search',
    group: 'Data',
    Page: page(async () => (await import('../pages/vector-stores/vector-stores-page.tsx')).VectorStoresPage),
  },
  {
    path: '/batches',
    title: 'Batches',
    icon: 'layers',
    group: 'Data',
    Page: page(async () => (await import('../pages/batches/batches-page.tsx')).BatchesPage),
  },
  {
    path: '/completions',
    title: 'Stored completions',
    icon: 'archive',
    group: 'Data',
    Page: page(async () => (await import('../pages/completions/completions-page.tsx')).CompletionsPage),
  },
  {
    path: '/fine-tuning',
    title: 'Fine-tuning',
    icon: 'curve',
    group: 'Data',
    Page: page(async () => (await import('../pages/fine-tuning/fine-tuning-page.tsx')).FineTuningPage),
  },
  {
    path: '/projects',
    title: 'Projects',
    icon: 'folder',
    group: 'Organization',
    isFor: 'admins',
    Page: page(async () => (await import('../pages/projects/projects-page.tsx')).ProjectsPage),
  },
  {
    path: '/members',
    title: 'Members',
    icon: 'people',
    group: 'Organization',
    isFor: 'admins',
    Page: page(async () => (await import('../pages/members/members-page.tsx')).MembersPage),
  },
  {
    path: '/access',
    title: 'Access and limits',
    icon: 'gauge',
    group: 'Organization',
    isFor: 'admins',
    Page: page(async () => (await import('../pages/access/access-page.tsx')).AccessPage),
  },
  {
    path: '/keys',
    title: 'API keys',
    icon: 'key',
    group: 'Organization',
    isFor: 'admins',
    Page: page(async () => (await import('../pages/keys/keys-page.tsx')).KeysPage),
  },
  {
    path: '/usage',
    title: 'Usage and costs',
    icon: 'chart',
    group: 'Organization',
    isFor: 'admins',
    Page: page(async () => (await import('../pages/usage/usage-page.tsx')).UsagePage),
  },
  {
    path: '/audit-log',
    title: 'Audit log',
    icon: 'list',
    group: 'Organization',
    isFor: 'admins',
    Page: page(async () => (await import('../pages/audit-log/audit-log-page.tsx')).AuditLogPage),
  },
  {
    path: '/settings',
    title: 'Settings and help',
    icon: 'cog',
    group: 'Organization',
    isFor: 'admins',
    Page: page(async () => (await import('../pages/settings/settings-page.tsx')).SettingsPage),
  },
  {
    path: '/containers',
    title: 'Containers',
    icon: 'box',
    group: 'Machine',
    isFor: 'operators',
    Page: page(async () => (await import('../pages/containers/containers-page.tsx')).ContainersPage),
  },
  {
    path: '/hooks',
    title: 'Hooks',
    icon: 'hook',
    group: 'Machine',
    isFor: 'operators',
    Page: page(async () => (await import('../pages/hooks/hooks-page.tsx')).HooksPage),
  },
  {
    path: '/databases',
    title: 'Databases',
    icon: 'database',
    group: 'Machine',
    isFor: 'operators',
    Page: page(async () => (await import('../pages/databases/databases-page.tsx')).DatabasesPage),
  },
  {
    path: '/guides',
    title: 'Guides',
    icon: 'book',
    group: 'Help',
    Page: page(async () => (await import('../pages/guides/guides-page.tsx')).GuidesPage),
  },
]

/** Pages that a session has a use for: what it may not do is not offered. */
export const pagesFor = ({ is_admin, is_operator }: Pick<SessionObject, 'is_admin' | 'is_operator'>): PageEntry[] =>
  pages.filter(({ isFor }) => isFor === undefined || (isFor === 'admins' ? is_admin : is_operator))

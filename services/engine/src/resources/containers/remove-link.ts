// Takes a link away: `parent/alias` names it, the containers themselves stay.
import { conflict, notFound } from '../../errors.ts'
import { parseLink } from './link.ts'
import type { World } from './world.ts'

export async function removeLink({ registry }: World, asked: string): Promise<void> {
  const [parent = '', alias = ''] = asked.replace(/^\//, '').split('/')
  if (alias === '') throw conflict(`Conflict, cannot remove the default link name of the container ${asked}`)
  const container = registry.get(parent)
  await container.exclusively(async () => {
    const links = container.record.hostConfig.Links ?? []
    const rest = links.filter((link) => parseLink(link).alias !== alias)
    if (rest.length === links.length) throw notFound(`No such link: ${asked}`)
    await container.change((record) => ({ ...record, hostConfig: { ...record.hostConfig, Links: rest } }))
  })
}

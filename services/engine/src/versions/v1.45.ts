// What version 1.45 changed.
import type { Change } from './change.ts'
import { inspect, newHostConfig } from './container-fields.ts'
import { at, isEntry, visitAt } from './shape.ts'

const since = '1.45'
const shortIdLetters = 12

/** Nobody is found by name on these. */
const namelessNetworks = ['bridge', 'host', 'none']

export const changes: readonly Change[] = [
  newHostConfig(
    { since, summary: 'A folder of a volume can be mounted.', requirements: ['ENG-107', 'ENG-238'] },
    'Mounts.[].VolumeOptions.Subpath',
  ),
  {
    since,
    summary: 'Images do not tell the container they were made from; they did.',
    requirements: ['ENG-379', 'ENG-380'],
    routes: ['GET /images/:name/json'],
    answer: at('', (image) => {
      image.Container ??= ''
      image.ContainerConfig ??= { ...(isEntry(image.Config) ? image.Config : {}) }
    }),
  },
  {
    since,
    summary: 'Aliases of a container are those it was given; its short id was among them.',
    requirements: ['ENG-211', 'ENG-212'],
    routes: [inspect],
    answer: at('', (container) => {
      const id = String(container.Id ?? '').slice(0, shortIdLetters)
      visitAt(container, 'NetworkSettings.Networks', (networks) => {
        for (const [name, endpoint] of Object.entries(networks)) {
          if (namelessNetworks.includes(name) || !isEntry(endpoint)) continue
          const aliases: unknown[] = Array.isArray(endpoint.Aliases) ? endpoint.Aliases : []
          endpoint.Aliases = aliases.includes(id) ? aliases : [...aliases, id]
        }
      })
    }),
  },
]

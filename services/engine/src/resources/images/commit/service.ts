// A container becomes an image: its own files as a layer on top, its settings as the image's.

import { applyChanges } from '../../../build/config-changes.ts'
import { invalidParameter } from '../../../errors.ts'
import type { EngineEvents } from '../../../events/engine-events.ts'
import type { ImageConfig, Images } from '../../../images/images.ts'
import { canonicalName, checkNewName, familiarName, parseReference } from '../../../images/reference.ts'
import type { ContainerRecord } from '../../containers/record.ts'
import type { ContainerConfig } from '../../containers/schema.ts'
import type { CommitBody } from './schema.ts'

export interface CommitParts {
  find(idOrName: string): ContainerRecord
  images: Images
  events: EngineEvents
  /** Does the work while the container's processes, if it has any, stand still. */
  whileStill<T>(id: string, work: () => Promise<T>): Promise<T>
}

export interface CommitQuery {
  container: string
  repo: string
  tag: string
  comment: string
  author: string
  pause: boolean
  changes: readonly string[]
}

type Config = NonNullable<ImageConfig['config']>

export async function commit(parts: CommitParts, query: CommitQuery, body: CommitBody): Promise<string> {
  if (query.container === '') throw invalidParameter('container is missing: which one is to become an image')
  const record = parts.find(query.container)
  const reference = nameOf(query)
  const config = applyChanges(imageConfig(record.config, body ?? {}), query.changes)
  const pack = () =>
    parts.images.commit(
      { containerId: record.id, imageId: record.imageId },
      {
        config,
        author: query.author,
        comment: query.comment,
        createdBy: [record.path, ...record.args].join(' ').trim(),
        ...(reference !== undefined && { reference }),
      },
    )
  // Files do not change under the hands that pack them, unless the caller wants it so.
  const imageId = await (query.pause ? parts.whileStill(record.id, pack) : pack())
  parts.events.emit('container', 'commit', record.id, {
    ...record.config.Labels,
    comment: query.comment,
    image: record.imageName,
    imageID: imageId,
    imageRef: reference === undefined ? '' : familiarName(reference),
    name: record.name,
  })
  return imageId
}

function nameOf({ repo, tag }: CommitQuery): string | undefined {
  if (repo === '') return undefined
  const reference = parseReference(tag === '' ? repo : `${repo}:${tag}`)
  checkNewName(reference)
  return canonicalName(reference)
}

/** Only what images have; the body comes before the container. */
function imageConfig(container: ContainerConfig, body: Partial<ContainerConfig>): Config {
  const merged = { ...container, ...defined(body) }
  const { User, ExposedPorts, Env, Entrypoint, Cmd, Volumes, WorkingDir, StopSignal, Shell, Healthcheck, OnBuild } =
    merged
  const Labels = { ...container.Labels, ...body.Labels }
  const kept = {
    User,
    ExposedPorts,
    Env,
    Entrypoint,
    Cmd,
    Volumes,
    WorkingDir,
    StopSignal,
    Shell,
    Healthcheck,
    OnBuild,
    Labels,
  }
  return defined(kept) as Config
}

const defined = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined && item !== '')) as Partial<T>

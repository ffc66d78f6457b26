// Archives from before docker 1.10: a folder for each layer with `json` and `layer.tar` in it, and the names of images
// in `repositories`. An image is the chain of its layers; what we know as its configuration is made of their documents.
import { z } from 'zod'
import { invalidParameter } from '../../errors.ts'
import { canonicalName, parseReference } from '../../images/reference.ts'
import type { SavedArchive } from './saved-archive.ts'

export interface ArchivedImage {
  /** Its configuration. */
  bytes: Buffer
  /** Of the layers, the lowest first. */
  paths: string[]
  /** Canonical. */
  names: string[]
}

const Repositories = z.record(z.string(), z.record(z.string(), z.string()))

const Layer = z.looseObject({
  parent: z.string().nullish(),
  created: z.string().nullish(),
  author: z.string().nullish(),
  comment: z.string().nullish(),
  container_config: z.looseObject({ Cmd: z.array(z.string()).nullish() }).nullish(),
})

type Layer = z.infer<typeof Layer>

const maxLayers = 500
/** They tell of the layer, not of the image. */
const ofLayers = new Set(['id', 'parent', 'Size', 'parent_id', 'layer_id', 'throwaway'])

/** What a layer is once it is unpacked. */
type DiffIdOf = (path: string) => Promise<string>

/** Images that have a name, and those that are the base of no other. */
export async function readLegacyImages(archive: SavedArchive, diffIdOf: DiffIdOf): Promise<ArchivedImage[]> {
  const layers = new Map<string, Layer>()
  for (const path of archive.names) {
    const id = /^([^/]+)\/json$/.exec(path)?.[1]
    if (id !== undefined) layers.set(id, await archive.readJson(path, Layer))
  }
  const names = await readNames(archive)
  const bases = new Set([...layers.values()].map(({ parent }) => parent))
  const tips = [...layers.keys()].filter((id) => names.has(id) || !bases.has(id))
  const missing = [...names.keys()].find((id) => !layers.has(id))
  if (missing !== undefined) throw invalidParameter(`invalid target ID: ${missing}`)
  const images: ArchivedImage[] = []
  for (const id of tips) images.push(await readImage(chainOf(id, layers), names.get(id) ?? [], diffIdOf))
  return images
}

async function readNames(archive: SavedArchive): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>()
  for (const [repository, tags] of Object.entries(await archive.readJson('repositories', Repositories))) {
    for (const [tag, id] of Object.entries(tags)) {
      const name = canonicalName(parseReference(`${repository}:${tag}`))
      names.set(id, [...(names.get(id) ?? []), name])
    }
  }
  return names
}

type Chain = [id: string, layer: Layer][]

/** From the lowest layer to the one that is named. */
function chainOf(tip: string, layers: ReadonlyMap<string, Layer>): Chain {
  const chain: Chain = []
  for (let id: string | null | undefined = tip; id; ) {
    const layer = layers.get(id)
    if (layer === undefined) throw invalidParameter(`invalid archive: ${id.slice(0, 200)}/json is not in it`)
    if (chain.length === maxLayers) throw invalidParameter(`invalid archive: more than ${maxLayers} layers`)
    chain.unshift([id, layer])
    id = layer.parent
  }
  return chain
}

async function readImage(chain: Chain, names: string[], diffIdOf: DiffIdOf): Promise<ArchivedImage> {
  const paths = chain.map(([id]) => `${id}/layer.tar`)
  const diffIds: string[] = []
  for (const path of paths) diffIds.push(await diffIdOf(path))
  const [, top = {}] = chain.at(-1) ?? []
  const kept = Object.entries(top).filter(([key]) => !ofLayers.has(key))
  const all = {
    ...Object.fromEntries(kept),
    rootfs: { type: 'layers', diff_ids: diffIds },
    history: chain.map(([, layer]) => historyOf(layer)),
  }
  const sorted = Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1))
  return { bytes: Buffer.from(JSON.stringify(Object.fromEntries(sorted))), paths, names }
}

const historyOf = ({ created, author, comment, container_config }: Layer): object => ({
  ...(created ? { created } : {}),
  ...(author ? { author } : {}),
  created_by: (container_config?.Cmd ?? []).join(' '),
  ...(comment ? { comment } : {}),
})

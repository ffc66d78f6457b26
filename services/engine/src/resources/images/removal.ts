// Taking images away: names first, the image when no name and no container holds it. docker's rules and words.
import { conflict, noSuchImage } from '../../errors.ts'
import type { ImageUser } from '../../images/images.ts'
import { familiarName, splitCanonical } from '../../images/reference.ts'
import type { CatalogImage, ImageCatalog } from './catalog.ts'
import type { ImageLibrary } from './image-library.ts'
import type { DeletedItem } from './schema.ts'

export interface RemovalParts {
  library: ImageLibrary
  users(imageId: string): ImageUser[]
  tell(action: 'untag' | 'delete', image: CatalogImage): void
}

export interface RemovalOptions {
  force: boolean
  /** Images it was made from go too, when nothing else needs them. */
  prune: boolean
}

interface Conflict {
  isHard: boolean
  isUsed: boolean
  message: string
}

const shortId = (id: string): string => id.replace(/^sha256:/, '').slice(0, 12)

export async function removeImage(
  parts: RemovalParts,
  reference: string,
  { force, prune }: RemovalOptions,
): Promise<DeletedItem[]> {
  const { catalog } = parts.library
  const items = await catalog.exclusively(async () => {
    const named = catalog.nameOf(reference)
    const image = named === undefined ? catalog.find(reference) : catalog.images.get(named.image_id)
    if (image === undefined) throw noSuchImage(displayName(reference))
    const done: DeletedItem[] = []
    if (named !== undefined) {
      if (!force) refuseUsedName(parts, image, reference)
      await untag(parts, image, namesGoing(catalog, image, named.name), done)
      if (catalog.namesOf(image.id).length > 0) return done
      await deleteImage(parts, image, { force, prune, isQuiet: true }, done)
      return done
    }
    if (repositories(catalog, image).size <= 1) {
      refuse(image, conflictOf(parts, image, { force, countsNames: false }))
      await untag(parts, image, catalog.namesOf(image.id), done)
    }
    await deleteImage(parts, image, { force, prune, isQuiet: false }, done)
    return done
  })
  await parts.library.sweep()
  return items
}

/** One image that nobody needs, with all its names. Only from `exclusively`. */
export async function removeUnused(parts: RemovalParts, image: CatalogImage, done: DeletedItem[]): Promise<void> {
  await untag(parts, image, parts.library.catalog.namesOf(image.id), done)
  await deleteImage(parts, image, { force: false, prune: false, isQuiet: true }, done)
}

const displayName = (reference: string): string =>
  /[:@]/.test(reference) || /^[0-9a-f]{12,64}$/.test(reference) ? reference : `${reference}:latest`

function repositories(catalog: ImageCatalog, image: CatalogImage): Set<string> {
  return new Set(catalog.namesOf(image.id).map((name) => splitCanonical(name).repository))
}

/** With the last tag of a repository its digests go too. */
function namesGoing(catalog: ImageCatalog, image: CatalogImage, name: string): string[] {
  const { repository } = splitCanonical(name)
  const left = catalog
    .namesOf(image.id)
    .filter((other) => other !== name && splitCanonical(other).repository === repository)
  const hasTag = left.some((other) => !other.includes('@'))
  return hasTag || name.includes('@') ? [name] : [name, ...left]
}

function refuseUsedName(parts: RemovalParts, image: CatalogImage, reference: string): void {
  const { catalog } = parts.library
  const tags = catalog.namesOf(image.id).filter((name) => !name.includes('@'))
  const isSingle = tags.length <= 1 && repositories(catalog, image).size <= 1
  const [user] = parts.users(image.id)
  if (!isSingle || user === undefined) return
  throw conflict(
    `conflict: unable to remove repository reference "${reference}" (must force) - container ${shortId(user.containerId)} is using its referenced image ${shortId(image.id)}`,
  )
}

async function untag(parts: RemovalParts, image: CatalogImage, names: string[], done: DeletedItem[]): Promise<void> {
  if (names.length === 0) return
  const { catalog } = parts.library
  const targets = names.flatMap((name) => catalog.names.get(name)?.target ?? [])
  await catalog.change({}, { names })
  for (const name of names) {
    done.push({ Untagged: familiarName(name) })
    parts.tell('untag', image)
  }
  // Other platforms came with the name, and go with it.
  const left = [...catalog.names.values()].flatMap(({ target }) => catalog.imagesUnder(target))
  const kept = new Set(left.map(({ id }) => id))
  const orphans = targets.flatMap((target) => catalog.imagesUnder(target)).filter(({ id }) => id !== image.id)
  for (const orphan of new Set(orphans)) {
    const isNeeded = kept.has(orphan.id) || catalog.namesOf(orphan.id).length > 0 || parts.users(orphan.id).length > 0
    if (!isNeeded) await drop(parts, orphan, done)
  }
}

async function deleteImage(
  parts: RemovalParts,
  image: CatalogImage,
  { force, prune, isQuiet }: RemovalOptions & { isQuiet: boolean },
  done: DeletedItem[],
): Promise<void> {
  const { catalog } = parts.library
  const found = conflictOf(parts, image, { force, countsNames: true })
  if (found !== undefined) {
    const isDangling = catalog.namesOf(image.id).length === 0 && catalog.childrenOf(image.id).length === 0
    if (isQuiet && (!isDangling || found.isUsed)) return
    refuse(image, found)
  }
  await untag(parts, image, catalog.namesOf(image.id), done)
  const parent = catalog.images.get(image.parent)
  await drop(parts, image, done)
  if (!prune || parent === undefined) return
  const isNeeded =
    catalog.namesOf(parent.id).length > 0 || conflictOf(parts, parent, { force: false, countsNames: true })
  if (!isNeeded) await deleteImage(parts, parent, { force: false, prune, isQuiet: true }, done)
}

async function drop(parts: RemovalParts, image: CatalogImage, done: DeletedItem[]): Promise<void> {
  await parts.library.catalog.change({}, { images: [image.id] })
  parts.tell('delete', image)
  done.push({ Deleted: image.id })
}

/** What stands in the way: hard is what no force overcomes. */
function conflictOf(
  parts: RemovalParts,
  image: CatalogImage,
  { force, countsNames }: { force: boolean; countsNames: boolean },
): Conflict | undefined {
  const { catalog } = parts.library
  const users = parts.users(image.id)
  const running = users.find(({ isRunning }) => isRunning)
  if (running !== undefined) {
    const message = `image is being used by running container ${shortId(running.containerId)}`
    return { isHard: true, isUsed: true, message }
  }
  if (catalog.childrenOf(image.id).length > 0) {
    return { isHard: true, isUsed: false, message: 'image has dependent child images' }
  }
  if (force) return undefined
  if (countsNames && catalog.namesOf(image.id).length > 0) {
    return { isHard: false, isUsed: false, message: 'image is referenced in multiple repositories' }
  }
  const [stopped] = users
  if (stopped === undefined) return undefined
  const message = `image is being used by stopped container ${shortId(stopped.containerId)}`
  return { isHard: false, isUsed: true, message }
}

function refuse(image: CatalogImage, found: Conflict | undefined): void {
  if (found === undefined) return
  const force = found.isHard ? 'cannot be forced' : 'must be forced'
  throw conflict(`conflict: unable to delete ${shortId(image.id)} (${force}) - ${found.message}`)
}

// Images, their names and layers, and which layers containers stand on.
import type { Queries, Tx } from '@atoll/kernel/db/database'

export interface ImageRow {
  /** `sha256:…` of the configuration. */
  id: string
  /** Digest of its manifest. */
  manifest: string
  /** The configuration, JSON. */
  config: string
  /** Id of the image it was made from here; empty otherwise. */
  parent: string
  stored_at: number
  /** 0: never named here. */
  tagged_at: number
}

export interface ManifestRow {
  digest: string
  size: number
  /** A manifest or an index, JSON. */
  document: string
}

export interface LayerRow {
  chain_id: string
  size: number
  /** While the files may not be on the disk yet: the boot they were written in. Empty: durable. */
  boot_id: string
}

export interface ImageNameRow {
  /** `docker.io/library/busybox:latest`, or with a digest. */
  name: string
  image_id: string
  /** Digest of the manifest or index it stands for. */
  target: string
}

/** A blob that may not be on the disk yet. */
export interface UnsyncedRow {
  digest: string
  /** The boot it was written in. */
  boot_id: string
}

export interface RootfsRow {
  container_id: string
  image_id: string
  /** From the bottom up, JSON. */
  chain_ids: string
}

/** A layer that a build has made, kept for the next one; or that it took a step which changes no file. */
export interface BuildCacheRow {
  /** `sha256:…` of everything that the step depends on. */
  key: string
  /** Of the step before it, if that is kept too; empty otherwise. */
  parent: string
  chain_id: string
  diff_id: string
  /** Of the packed layer; empty: the step changes no file, and `chain_id` is what it stands on. */
  digest: string
  bytes: number
  size: number
  /** The instruction, for people. */
  description: string
  created_at: number
  used_at: number
  uses: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    engine_images: ImageRow
    engine_manifests: ManifestRow
    engine_layers: LayerRow
    engine_image_names: ImageNameRow
    engine_rootfs: RootfsRow
    engine_unsynced_blobs: UnsyncedRow
    engine_build_cache: BuildCacheRow
  }
}

export interface ImageRows {
  images: ImageRow[]
  manifests: ManifestRow[]
  layers: LayerRow[]
  names: ImageNameRow[]
  rootfs: RootfsRow[]
  unsynced: UnsyncedRow[]
  built: BuildCacheRow[]
}

/** Keys of rows that go. */
export type GoneRows = { [K in keyof ImageRows]?: string[] }

export async function selectRows(queries: Queries): Promise<ImageRows> {
  return {
    images: await queries.selectFrom('engine_images').selectAll().execute(),
    manifests: await queries.selectFrom('engine_manifests').selectAll().execute(),
    layers: await queries.selectFrom('engine_layers').selectAll().execute(),
    names: await queries.selectFrom('engine_image_names').selectAll().execute(),
    rootfs: await queries.selectFrom('engine_rootfs').selectAll().execute(),
    unsynced: await queries.selectFrom('engine_unsynced_blobs').selectAll().execute(),
    built: await queries.selectFrom('engine_build_cache').selectAll().execute(),
  }
}

/** New rows, and those that stand in the place of others. */
export async function putRows(tx: Tx, rows: Partial<ImageRows>): Promise<void> {
  for (const row of rows.images ?? []) {
    const { id, ...rest } = row
    await tx
      .insertInto('engine_images')
      .values(row)
      .onConflict((on) => on.column('id').doUpdateSet(rest))
      .execute()
  }
  for (const row of rows.manifests ?? []) {
    await tx
      .insertInto('engine_manifests')
      .values(row)
      .onConflict((on) => on.column('digest').doNothing())
      .execute()
  }
  for (const row of rows.layers ?? []) {
    const { chain_id, ...rest } = row
    await tx
      .insertInto('engine_layers')
      .values(row)
      .onConflict((on) => on.column('chain_id').doUpdateSet(rest))
      .execute()
  }
  for (const row of rows.names ?? []) {
    const { name, ...rest } = row
    await tx
      .insertInto('engine_image_names')
      .values(row)
      .onConflict((on) => on.column('name').doUpdateSet(rest))
      .execute()
  }
  for (const row of rows.rootfs ?? []) {
    const { container_id, ...rest } = row
    await tx
      .insertInto('engine_rootfs')
      .values(row)
      .onConflict((on) => on.column('container_id').doUpdateSet(rest))
      .execute()
  }
  for (const row of rows.unsynced ?? []) {
    await tx
      .insertInto('engine_unsynced_blobs')
      .values(row)
      .onConflict((on) => on.column('digest').doUpdateSet({ boot_id: row.boot_id }))
      .execute()
  }
  for (const row of rows.built ?? []) {
    const { key, ...rest } = row
    await tx
      .insertInto('engine_build_cache')
      .values(row)
      .onConflict((on) => on.column('key').doUpdateSet(rest))
      .execute()
  }
}

export async function deleteRows(tx: Tx, gone: GoneRows): Promise<void> {
  const { images = [], manifests = [], layers = [], names = [], rootfs = [], unsynced = [], built = [] } = gone
  if (images.length > 0) await tx.deleteFrom('engine_images').where('id', 'in', images).execute()
  if (manifests.length > 0) await tx.deleteFrom('engine_manifests').where('digest', 'in', manifests).execute()
  if (layers.length > 0) await tx.deleteFrom('engine_layers').where('chain_id', 'in', layers).execute()
  if (names.length > 0) await tx.deleteFrom('engine_image_names').where('name', 'in', names).execute()
  if (rootfs.length > 0) await tx.deleteFrom('engine_rootfs').where('container_id', 'in', rootfs).execute()
  if (built.length > 0) await tx.deleteFrom('engine_build_cache').where('key', 'in', built).execute()
  if (unsynced.length > 0) await tx.deleteFrom('engine_unsynced_blobs').where('digest', 'in', unsynced).execute()
}

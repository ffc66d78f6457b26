import type { Migration } from '@atoll/kernel/db/migration'

const imagesMigration: Migration = {
  name: 'engine/images',
  async up(db) {
    await db.schema
      .createTable('engine_images')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('manifest', 'text', (column) => column.notNull())
      .addColumn('config', 'text', (column) => column.notNull())
      .addColumn('parent', 'text', (column) => column.notNull())
      .addColumn('stored_at', 'bigint', (column) => column.notNull())
      .addColumn('tagged_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('engine_manifests')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('engine_layers')
      .addColumn('chain_id', 'text', (column) => column.primaryKey())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('boot_id', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('engine_image_names')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('image_id', 'text', (column) => column.notNull())
      .addColumn('target', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('engine_rootfs')
      .addColumn('container_id', 'text', (column) => column.primaryKey())
      .addColumn('image_id', 'text', (column) => column.notNull())
      .addColumn('chain_ids', 'text', (column) => column.notNull())
      .execute()
  },
}

const unsyncedMigration: Migration = {
  name: 'engine/images/unsynced',
  async up(db) {
    await db.schema
      .createTable('engine_unsynced_blobs')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('boot_id', 'text', (column) => column.notNull())
      .execute()
  },
}

const buildCacheMigration: Migration = {
  name: 'engine/images/build-cache',
  async up(db) {
    await db.schema
      .createTable('engine_build_cache')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('parent', 'text', (column) => column.notNull())
      .addColumn('chain_id', 'text', (column) => column.notNull())
      .addColumn('diff_id', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .addColumn('uses', 'bigint', (column) => column.notNull())
      .execute()
  },
}

export const imageMigrations = [imagesMigration, unsyncedMigration, buildCacheMigration]

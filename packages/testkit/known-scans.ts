// Statements that go through all of a table, and why they may.

/** They hold what people set up, not what happens: a few rows to some hundreds, however long a server runs. */
export const smallTables: Record<string, string> = {
  migrations: 'one row for each step of the schema',
  organizations: 'made by administrators',
  nodes: 'the nodes of a group',
  hooks_pauses: 'mappings that are paused',
  cluster_bdbs: 'the databases of a cluster',
  cluster_shards: 'their processes',
  cluster_modules: 'modules that were uploaded',
  cluster_users: 'the users of a cluster',
}

interface KnownScan {
  table: string
  sql: RegExp
  why: string
}

/** The engine reads its records once, at its start, and answers from memory. */
const readAtStart: readonly KnownScan[] = [
  'engine_build_cache',
  'engine_containers',
  'engine_image_names',
  'engine_images',
  'engine_layers',
  'engine_manifests',
  'engine_networks',
  'engine_rootfs',
  'engine_unsynced_blobs',
  'engine_volumes',
].map((table) => ({
  table,
  sql: new RegExp(`^select (\\*|"record") from "${table}"( order by "name")?$`),
  why: 'once, at the start: the engine answers from memory',
}))

export const knownScans: readonly KnownScan[] = [
  ...readAtStart,
  { table: 'jobs', sql: /^update "jobs" set "lease_token"/, why: 'once, at the start, before requests are taken' },
  { table: 'jobs', sql: /count\(\*\)/, why: 'figures for /metrics; in a reader thread' },
  { table: 'hooks_lanes', sql: /^update "hooks_lanes"/, why: 'once, at the start, before requests are taken' },
  { table: 'hooks_deliveries', sql: /count\(\*\)/, why: 'figures for operators, from an index; in a reader thread' },
  { table: 'hooks_outbox', sql: /count\(\*\)/, why: 'figures for operators, from an index; in a reader thread' },
  {
    table: 'vector_collections',
    sql: /^select "key" from "vector_collections"$/,
    why: 'once, at the start: which index files are still needed',
  },
  { table: 'cluster_actions', sql: /"runs_on" is not null/, why: 'once, at the start' },
  { table: 'audit_entries', sql: /^select "chain"/, why: 'names what `audit verify` then walks whole' },
  { table: 'audit_heads', sql: /^select "chain"/, why: 'names what `audit verify` then walks whole' },
  { table: 'projects', sql: /insert into usage_storage/, why: 'sums what every project holds, once in a while' },
  { table: 'vector_stores', sql: /insert into usage_storage/, why: 'sums what every project holds, once in a while' },
]

// Statements that go through all of a table, and why they may.

/** They hold what people set up, not what happens: a few rows to some hundreds, however long a server runs. */
export const smallTables: Record<string, string> = {
  migrations: 'one row for each step of the schema',
  organizations: 'made by administrators',
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

export const knownScans: readonly KnownScan[] = [
  { table: 'jobs', sql: /^update "jobs" set "lease_token"/, why: 'once, at the start, before requests are taken' },
  { table: 'jobs', sql: /count\(\*\)/, why: 'figures for /metrics; in a reader thread' },
  { table: 'hooks_lanes', sql: /^update "hooks_lanes"/, why: 'once, at the start, before requests are taken' },
  { table: 'hooks_deliveries', sql: /count\(\*\)/, why: 'figures for operators, from an index; in a reader thread' },
  { table: 'hooks_outbox', sql: /count\(\*\)/, why: 'figures for operators, from an index; in a reader thread' },
  { table: 'cluster_actions', sql: /"runs_on" is not null/, why: 'once, at the start' },
  { table: 'audit_entries', sql: /^select "chain"/, why: 'names what `audit verify` then walks whole' },
  { table: 'audit_heads', sql: /^select "chain"/, why: 'names what `audit verify` then walks whole' },
  { table: 'projects', sql: /insert into usage_storage/, why: 'sums what every project holds, once in a while' },
  { table: 'vector_stores', sql: /insert into usage_storage/, why: 'sums what every project holds, once in a while' },
]

// Usage and costs from the command line.
import { telling } from '../command-problem.ts'
import { show } from '../table.ts'
import type { OrgServer, Query } from './org-server.ts'
import { type ListFlags, when } from './people.ts'
import { serverFrom } from './server-from.ts'
import { startOf } from './since.ts'

interface Bucket {
  start_time: number
  end_time: number
  results: Result[]
}

type Result = Record<string, unknown> & { object: string; amount?: { value: number; currency: string } }

interface BucketPage {
  data: Bucket[]
  next_page: string | null
}

interface ReportFlags extends ListFlags {
  since: string
  by: string[]
}

/** As many buckets as one answer holds. */
const mostBuckets: Record<string, number> = { '1m': 1440, '1h': 168, '1d': 31 }

async function allBuckets(server: OrgServer, path: string, query: Query): Promise<Bucket[]> {
  const buckets: Bucket[] = []
  let page: string | undefined
  do {
    const answer: BucketPage = await server.get(path, { ...query, page })
    buckets.push(...answer.data)
    page = answer.next_page ?? undefined
  } while (page !== undefined)
  return buckets
}

export const showUsage = (kind: string, flags: ReportFlags & { width: string }): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const buckets = await allBuckets(server, `/organization/usage/${kind}`, {
      start_time: startOf(flags.since, Date.now()),
      bucket_width: flags.width,
      limit: mostBuckets[flags.width],
      ...(flags.by.length === 0 ? {} : { group_by: flags.by }),
    })
    if (flags.json) return console.log(JSON.stringify(buckets, null, 2))
    const rows = rowsOf(buckets)
    const counted = columnsOf(rows).filter((name) => typeof rows[0]?.[name] === 'number')
    showRows(rows, [...flags.by, ...counted], 'Nothing was used in this time.')
  })

export const showCosts = (flags: ReportFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const start_time = startOf(flags.since, Date.now())
    const group = flags.by.length === 0 ? {} : { group_by: flags.by }
    const buckets = await allBuckets(server, '/organization/costs', { start_time, limit: 180, ...group })
    if (flags.json) return console.log(JSON.stringify(buckets, null, 2))
    const rows = rowsOf(buckets).map((row) => ({ ...row, cost: costText(row) }))
    showRows(rows, [...flags.by, 'cost'], 'Nothing was spent in this time.')
  })

type Row = Result & { start_time: number }

const rowsOf = (buckets: Bucket[]): Row[] =>
  buckets.flatMap(({ start_time, results }) => results.map((result) => ({ ...result, start_time })))

const columnsOf = ([row]: Row[]): string[] => Object.keys(row ?? {}).filter((name) => name !== 'start_time')

const costText = ({ amount }: Row): string =>
  amount === undefined ? '-' : `${amount.value.toFixed(6).replace(/0{1,4}$/, '')} ${amount.currency}`

function showRows(rows: Row[], columns: string[], none: string): void {
  show(rows, {
    titles: ['FROM', ...columns.map((name) => name.replaceAll('_', ' ').toUpperCase())],
    row: (row) => [when(row.start_time), ...columns.map((name) => String(row[name] ?? '-'))],
    none,
  })
}

import type { ReactNode } from 'react'
import { Failure } from './failure.tsx'
import { Waiting } from './waiting.tsx'

export interface Column<Item> {
  title: string
  show(item: Item): ReactNode
}

interface List<Item> {
  items: Item[] | undefined
  error: unknown
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage(): unknown
  refetch(): unknown
}

interface Props<Item> {
  /** What it lists, in words. */
  name: string
  list: List<Item>
  columns: Column<Item>[]
  idOf(item: Item): string
  /** In place of an empty table. */
  empty: ReactNode
}

export function ListTable<Item>({ name, list, columns, idOf, empty }: Props<Item>) {
  const { items, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = list
  if (error) return <Failure error={error} again={refetch} />
  if (items === undefined) return <Waiting what={name} />
  if (items.length === 0) return empty
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone, also by the keyboard */}
      <section className="table-frame" aria-label={name} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map(({ title }) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr key={idOf(item)}>
                {columns.map(({ title, show }) => (
                  <td key={title}>{show(item)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {hasNextPage && (
        <p className="more">
          <button type="button" onClick={() => fetchNextPage()} disabled={isFetchingNextPage}>
            {isFetchingNextPage ? 'Loading …' : 'Show more'}
          </button>
        </p>
      )}
    </>
  )
}

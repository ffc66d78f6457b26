import type { ReactNode } from 'react'
import { Failure } from './failure.tsx'
import { RowBlock } from './row-block.tsx'
import { Waiting } from './waiting.tsx'

const blockRows = 50
/** A table of no more rows is in the page as a whole. */
const wholeRows = 200

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
          {blocksOf(items).map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a block is a place in the table, whichever rows are there
            <RowBlock key={index} items={block} columns={columns} idOf={idOf} mayRest={items.length > wholeRows} />
          ))}
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

const blocksOf = <Item,>(items: Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / blockRows) }, (_, index) =>
    items.slice(index * blockRows, (index + 1) * blockRows),
  )

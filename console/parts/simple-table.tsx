// A list that came whole, shown a page at a time: thousands of rows stay fast.
import { type ReactNode, useState } from 'react'
import { type Column, ListTable } from './list-table.tsx'

const pageSize = 50

interface Props<Item> {
  name: string
  items: Item[] | undefined
  error?: unknown
  again?: () => unknown
  columns: Column<Item>[]
  idOf(item: Item): string
  empty: ReactNode
}

export function SimpleTable<Item>({ items, error, again = () => undefined, ...rest }: Props<Item>) {
  const [shown, setShown] = useState(pageSize)
  const list = {
    items: items?.slice(0, shown),
    error,
    hasNextPage: (items?.length ?? 0) > shown,
    isFetchingNextPage: false,
    fetchNextPage: () => setShown(shown + pageSize),
    refetch: again,
  }
  return <ListTable list={list} {...rest} />
}

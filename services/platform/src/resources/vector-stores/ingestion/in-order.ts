/**
 * Begins work on items as they come, `atOnce` of them at a time, and hands the results on in the order of the items.
 * The last comes marked, so that what ends the whole can go with it; it is empty when there were no items.
 */
export async function inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  atOnce: number,
  begin: (item: Item) => Promise<Result[]>,
  handle: (results: Result[], isLast: boolean) => Promise<void>,
): Promise<void> {
  const begun: Promise<Result[]>[] = []
  for await (const item of items) {
    const next = begin(item)
    // Heard when its turn comes; a failure before that must not count as unheard.
    next.catch(() => undefined)
    begun.push(next)
    if (begun.length >= atOnce) await handle((await begun.shift()) ?? [], false)
  }
  while (begun.length > 1) await handle((await begun.shift()) ?? [], false)
  await handle((await begun.shift()) ?? [], true)
}

/** As many as the built-in model answers at once. */
const atOnce = 2

/** How much of `items` is right, from 0 to 1. */
export async function share<Item>(items: readonly Item[], isRight: (item: Item) => Promise<boolean>): Promise<number> {
  const open = [...items]
  let right = 0
  const worker = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) if (await isRight(next)) right++
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return right / items.length
}

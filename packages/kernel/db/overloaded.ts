/** The database has more to do than it can: whoever asks again a little later may be served. */
export class DatabaseOverloaded extends Error {
  override readonly name = 'DatabaseOverloaded'
}

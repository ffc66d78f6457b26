import { messageOf } from '../api/api-error.ts'

/** Something could not be had: the server's own words, and a way to try again. */
export const Failure = ({ error, again }: { error: unknown; again?: () => unknown }) => (
  <div className="failure" role="alert">
    <p>{messageOf(error)}</p>
    {again !== undefined && (
      <button type="button" onClick={() => void again()}>
        Try again
      </button>
    )}
  </div>
)

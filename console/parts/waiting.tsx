export const Waiting = ({ what }: { what: string }) => (
  <p className="waiting" role="status">
    Loading {what} …
  </p>
)

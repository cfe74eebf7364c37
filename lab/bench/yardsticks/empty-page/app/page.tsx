// Rendered for each request, as all pages of ours are.
export const dynamic = "force-dynamic";

export default function Page() {
  return <p>Nothing</p>;
}

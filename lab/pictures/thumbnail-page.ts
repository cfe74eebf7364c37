/** A page of linked thumbnails named `what-width-scheme.png`, one row per `what`. */
export function thumbnailPage(files: string[]): string {
  const rows = Map.groupBy(files.toSorted(), (file) => file.replace(/-\d+-\w+\.png$/, ""));
  const sections = [...rows].map(
    ([what, pictures]) => `<section><h2>${what}</h2><div>${pictures.map(thumbnail).join("")}</div></section>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Every page and state</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; color: #222; background: #ddd; }
  h2 { font-size: 1rem; margin: 2rem 0 0.5rem; }
  div { display: flex; flex-wrap: wrap; gap: 1rem; align-items: start; }
  figure { margin: 0; }
  img { display: block; height: 20rem; width: auto; max-width: 40rem; object-fit: cover; object-position: top; }
</style>
<h1>Every page and state: ${rows.size}</h1>
${sections.join("\n")}
</html>
`;
}

function thumbnail(file: string): string {
  const caption = /(\d+)-(\w+)\.png$/.exec(file);
  const label = caption ? `${caption[1]} px, ${caption[2]}` : file;
  return `<figure><a href="${file}"><img src="${file}" alt="" loading="lazy"></a><figcaption>${label}</figcaption></figure>`;
}

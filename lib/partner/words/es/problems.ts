import { brandName } from "../../../../brand/name.ts";
import type { problems as english } from "../en/problems.ts";
import type { Translation } from "../translation.ts";

export const problems: Translation<typeof english> = {
  notLoadedTitle: `${brandName} no respondió`,
  notLoaded: "No se envió nada. Revise su conexión a internet e intente de nuevo.",
  outOfDate: "Esta página ya no está al día. Vuelva a cargarla.",
  otherAccountTitle: "Ahora su sesión es la de {name}",
  otherAccount:
    "Esta página es de otra cuenta, así que no se envió nada. Para enviarlo, inicie sesión con esa cuenta en otra pestaña e intente de nuevo aquí.",
  noContactTitle: `No podemos comunicarnos con ${brandName} en este momento`,
  noContact: "Esta página muestra lo último que tenemos. Seguiremos intentando.",
  noAnswerTitle: "No recibimos respuesta",
  noAnswer:
    "No sabemos si esto llegó. Lo que escribió sigue aquí. Envíelo de nuevo en un momento: nada se hace dos veces.",
};

import { brandName } from "../../../../brand/name.ts";
import type { frame as english } from "../en/frame.ts";
import type { Translation } from "../translation.ts";

export const frame: Translation<typeof english> = {
  skip: "Ir al contenido",
  homeLink: `${brandName}, inicio`,
  mainNavigation: "Principal",
  dashboard: "Resumen",
  business: "Empresa",
  payments: "Pagos",
  signIn: "Iniciar sesión",
  signedInAs: "Sesión iniciada como",
  signOut: "Cerrar sesión",
  signingOut: "Cerrando sesión",
  language: "Idioma",
  footer: {
    what: `${brandName} es la aplicación de Gangway para socios, una integración de referencia.`,
    caution: "Aquí no se mueve dinero real. Por favor, no ingrese información real.",
    service: "El servicio que la respalda: <service>[service]</service>",
    serviceAndConsole: "El servicio que la respalda: <service>[service]</service> y <console>su consola</console>",
  },
  notFound: {
    title: "No encontramos esta página",
    text: "Revise la dirección. También es posible que la página sea de otra persona.",
    action: "Ir a la página de inicio",
  },
  error: {
    title: "Algo salió mal de nuestro lado",
    text: "No se perdió nada ni se hizo nada dos veces. Puede intentarlo de nuevo sin riesgo; nosotros también lo haremos automáticamente.",
    action: "Intentar de nuevo",
  },
};
